// The contract's items in memory, on Go's own HTTP server.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
)

type Item struct {
	ID    *int64   `json:"id"`
	Name  *string  `json:"name"`
	Price *float64 `json:"price"`
}

type User struct {
	ID   *int64  `json:"id"`
	Name *string `json:"name"`
}

var (
	mutex sync.RWMutex
	items []Item
	users []User
)

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func main() {
	for n := 1; n <= 1000; n++ {
		id, name, price := int64(n), fmt.Sprintf("Item number %d", n), float64(n)+0.5
		items = append(items, Item{&id, &name, &price})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/items", func(w http.ResponseWriter, r *http.Request) {
		mutex.RLock()
		defer mutex.RUnlock()
		answer(w, 200, items)
	})
	mux.HandleFunc("GET /api/items/{item_id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.ParseInt(r.PathValue("item_id"), 10, 64)
		if err != nil {
			answer(w, 400, map[string]string{"detail": "not an integer"})
			return
		}
		mutex.RLock()
		defer mutex.RUnlock()
		for _, item := range items {
			if *item.ID == id {
				answer(w, 200, item)
				return
			}
		}
		answer(w, 404, map[string]string{"detail": "Not found"})
	})
	mux.HandleFunc("POST /api/items", func(w http.ResponseWriter, r *http.Request) {
		var item Item
		if json.NewDecoder(r.Body).Decode(&item) != nil || item.ID == nil || item.Name == nil || item.Price == nil {
			answer(w, 400, map[string]string{"detail": "not an item"})
			return
		}
		mutex.Lock()
		items = append(items, item)
		mutex.Unlock()
		answer(w, 201, item)
	})
	mux.HandleFunc("POST /api/users", func(w http.ResponseWriter, r *http.Request) {
		var user User
		if json.NewDecoder(r.Body).Decode(&user) != nil || user.ID == nil || user.Name == nil {
			answer(w, 400, map[string]string{"detail": "not a user"})
			return
		}
		mutex.Lock()
		users = append(users, user)
		mutex.Unlock()
		answer(w, 201, user)
	})
	address, cert := "127.0.0.1:"+os.Getenv("PORT"), os.Getenv("TLS_CERT")
	if cert != "" {
		log.Fatal(http.ListenAndServeTLS(address, cert, os.Getenv("TLS_KEY"), mux))
	}
	log.Fatal(http.ListenAndServe(address, mux))
}
