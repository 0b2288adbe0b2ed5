"""The contract's items in PostgreSQL, with an asyncpg pool, in the style of its documentation."""

import os
from contextlib import asynccontextmanager

import asyncpg
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel


class Item(BaseModel):
    id: int
    name: str
    price: float


@asynccontextmanager
async def lifespan(app: FastAPI):
    async with asyncpg.create_pool(os.environ["DATABASE_URL"]) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/api/items/{item_id}")
async def get_item(item_id: int) -> Item:
    row = await app.state.pool.fetchrow(
        "select id, name, price from items where id = $1 order by seq limit 1", item_id
    )
    if row is None:
        raise HTTPException(status_code=404, detail="Not found")
    return Item(**row)


@app.post("/api/items", status_code=201)
async def create_item(item: Item) -> Item:
    await app.state.pool.execute(
        "insert into items (id, name, price, version, created_at, updated_at) values ($1, $2, $3, 1, now(), now())",
        item.id,
        item.name,
        item.price,
    )
    return item
