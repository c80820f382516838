"""One small pure function per rule. Importing this package registers all of them."""

from tenure.registration import import_all

import_all(__name__)
