struct value { int type; union { double number; const char *text; }; };
#pragma tunepass param T: integer(0..1) = 0
#pragma tunepass kernel f(n = 8, v: inout struct value[n])
void f(int n, struct value *v) { v[T].number = n; }
