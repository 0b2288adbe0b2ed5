// PocketBase as it is, except that SYNCHRONOUS chooses how commits are synced: its own setting is NORMAL, which loses the
// last commits when the power fails; Shelf's is FULL. No flag or file of PocketBase sets this, only its DBConnect.
package main

import (
	"log"
	"os"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
)

// The settings of PocketBase's core/db_connect.go, in its order.
func connect(path string) (*dbx.DB, error) {
	return dbx.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"+
		"&_pragma=journal_size_limit(200000000)&_pragma=synchronous("+os.Getenv("SYNCHRONOUS")+")"+
		"&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)")
}

func main() {
	if err := pocketbase.NewWithConfig(pocketbase.Config{DBConnect: connect}).Start(); err != nil {
		log.Fatal(err)
	}
}
