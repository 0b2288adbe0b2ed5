//! The contract's items in memory, on axum, with one thread per core.
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
    serve::ListenerExt,
    Json, Router,
};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, env, sync::Arc, sync::RwLock};

#[derive(Clone, Deserialize, Serialize)]
struct Item {
    id: i64,
    name: String,
    price: f64,
}

#[derive(Clone, Deserialize, Serialize)]
struct User {
    id: i64,
    name: String,
}

#[derive(Default)]
struct Stored {
    items: Vec<Item>,
    first: HashMap<i64, usize>,
    users: Vec<User>,
}

impl Stored {
    fn add(&mut self, item: Item) {
        let at = self.items.len();
        self.first.entry(item.id).or_insert(at);
        self.items.push(item);
    }
}

type Shared = Arc<RwLock<Stored>>;

async fn list(State(stored): State<Shared>) -> Response {
    Json(&stored.read().unwrap().items).into_response()
}

async fn one(State(stored): State<Shared>, Path(id): Path<i64>) -> Response {
    let stored = stored.read().unwrap();
    match stored.first.get(&id) {
        Some(&at) => Json(&stored.items[at]).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn add(State(stored): State<Shared>, Json(item): Json<Item>) -> Response {
    stored.write().unwrap().add(item.clone());
    (StatusCode::CREATED, Json(item)).into_response()
}

async fn add_user(State(stored): State<Shared>, Json(user): Json<User>) -> Response {
    stored.write().unwrap().users.push(user.clone());
    (StatusCode::CREATED, Json(user)).into_response()
}

#[tokio::main]
async fn main() {
    let mut stored = Stored::default();
    for id in 1..=1000 {
        stored.add(Item { id, name: format!("Item number {id}"), price: id as f64 + 0.5 });
    }
    let app = Router::new()
        .route("/api/items", get(list).post(add))
        .route("/api/items/{id}", get(one))
        .route("/api/users", post(add_user))
        .with_state(Arc::new(RwLock::new(stored)));
    let port = env::var("PORT").expect("PORT is set");
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("the port is free");
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a socket"));
    axum::serve(listener, app).await.expect("it serves");
}
