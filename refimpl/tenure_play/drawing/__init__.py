"""Pictures: a `cluster` as bars; shapes in a `scene`, as SVG by `svg` or as PNG by `png`, with matplotlib."""
