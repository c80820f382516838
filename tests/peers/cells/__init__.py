"""Cells of random configurations of which `tenure analyze matrix` says *can*, asked of Kueue itself."""
