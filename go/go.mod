module tenuretest

go 1.24
