"""Pictures: shapes in a `scene`, written as SVG by `svg`, or as PNG by `png`, which needs matplotlib."""
