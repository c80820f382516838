// Empty: it lets the functions of linkname.go have no body, since the linker gives them one.
