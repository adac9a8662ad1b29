#pragma tunepass param TILE: ordinal(8, 16, 32) = 16 log
#pragma tunepass model time = TILE
#pragma tunepass run "./a.out" metric "rate = {rate}" unit("GB/s") maximise
int main(void) { return TILE; }
