struct flags { int a; unsigned low : 3, high : 5; };
#pragma tunepass param T: integer(0..1) = 0
#pragma tunepass kernel f(n = 8, list: inout struct flags[n])
void f(int n, struct flags *list) { list[T].a = n; }
