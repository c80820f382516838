// Empty: it lets the functions of plugin_test.go have no body, since the linker gives them one.
