// Owns the precompiled headers of the tests; the program does nothing.
int main() { return 0; }
