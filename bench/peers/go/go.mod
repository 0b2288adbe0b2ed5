module shelf.bench/peer

go 1.22
