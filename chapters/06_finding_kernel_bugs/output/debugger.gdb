run
print step
info cuda threads
cuda thread 224
cuda thread 250
print step
