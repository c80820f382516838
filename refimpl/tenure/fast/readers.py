"""Reading records from tables of addresses, in code that numba compiles; to be imported where numba is."""

from __future__ import annotations

from typing import Any

from numba import from_dtype, types
from numba.extending import intrinsic
from numba.np import arrayobj

from tenure.fast.addresses import CELLS, KINDS


def reader(record: type) -> Any:
    """For compiled code a function that reads a record from its table, see `addresses`.

    Args:
        record: its type.
    """
    fields = [
        types.int64 if kind is None else types.Array(from_dtype(kind[0]), kind[1], "C")
        for kind in KINDS[record]
    ]
    made = types.NamedTuple(fields, record)  # type: ignore[no-untyped-call]

    @intrinsic
    def read(_typing: Any, table: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            cells = _cells(context, builder, signature.args[0], values[0], CELLS * len(fields))
            parts = [
                _part(context, builder, field, cells[CELLS * place : CELLS * (place + 1)])
                for place, field in enumerate(fields)
            ]
            return context.make_tuple(builder, made, parts)

        return made(table), build

    return read


def _cells(context: Any, builder: Any, kind: Any, table: Any, count: int) -> list[Any]:
    data = arrayobj.make_array(kind)(context, builder, table).data  # type: ignore[no-untyped-call]
    places = (context.get_constant(types.intp, place) for place in range(count))
    return [builder.load(builder.gep(data, [place])) for place in places]


def _part(context: Any, builder: Any, kind: Any, cells: list[Any]) -> Any:
    """A number, or an array of a kind at an address: no object owns it, so no reference is counted."""
    address, *lengths = cells
    if not isinstance(kind, types.Array):
        return address
    array = arrayobj.make_array(kind)(context, builder)  # type: ignore[no-untyped-call]
    step = address.type(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    shape, strides = lengths[: kind.ndim], [step]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(length, strides[0]))
    pointer = builder.inttoptr(address, array.data.type)
    arrayobj.populate_array(array, pointer, shape, strides, step, meminfo=None)  # type: ignore[no-untyped-call]
    return array._getvalue()
