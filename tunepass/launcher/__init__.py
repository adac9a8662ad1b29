"""`tunepass cc` and `tunepass c++`: they start the compiler, with what the lock says of each source."""
