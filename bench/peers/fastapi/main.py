"""The contract's items in memory, in the style of FastAPI's documentation."""

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel


class Item(BaseModel):
    id: int
    name: str
    price: float


class User(BaseModel):
    id: int
    name: str


app = FastAPI()
users: list[User] = []
items = [Item(id=n, name=f"Item number {n}", price=n + 0.5) for n in range(1, 1001)]


@app.get("/api/items")
async def list_items() -> list[Item]:
    return items


@app.get("/api/items/{item_id}")
async def get_item(item_id: int) -> Item:
    for item in items:
        if item.id == item_id:
            return item
    raise HTTPException(status_code=404, detail="Not found")


@app.post("/api/items", status_code=201)
async def create_item(item: Item) -> Item:
    items.append(item)
    return item


@app.post("/api/users", status_code=201)
async def create_user(user: User) -> User:
    users.append(user)
    return user
