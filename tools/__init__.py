"""What the build runs besides the usual tools. No part of the distribution."""
