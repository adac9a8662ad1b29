#pragma tunepass param T: integer(0..1) = 0
#pragma tunepass kernel f(n = 8, list: inout struct node[n])
void f(int n, struct node *list) { list[T].value = n; }
