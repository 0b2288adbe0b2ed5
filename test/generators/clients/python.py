"""openapi-python-client: the same work as the programs beside this one."""

import io
import json
import sys
from datetime import datetime, timezone

from shelf_client import Client
from shelf_client.api.users import create_user
from shelf_client.api.v2_changes import list_changes_v2
from shelf_client.api.v2_items import (
    create_item_v2,
    create_items_v2,
    delete_item_v2,
    export_items_v2,
    get_item_v2,
    list_items_v2,
    patch_item_v2,
    replace_item_v2,
)
from shelf_client.models import ItemDraft, ItemPatch, ListItemsV2Count, ListItemsV2SortItem, User
from shelf_client.types import File

client = Client(base_url=sys.argv[1])

made = create_item_v2.sync_detailed(client=client, body=ItemDraft(name="Lamp", price=20), idempotency_key="once")
item = made.parsed
replace_item_v2.sync(item.id, client=client, body=ItemDraft(name="Desk lamp", price=25))
stale = patch_item_v2.sync(item.id, client=client, body=ItemPatch(price=1), if_match=f'"{item.version}"')
patched = patch_item_v2.sync(item.id, client=client, body=ItemPatch(price=18.5))
lines = b'{"name":"Desk","price":120}\n{"name":"Chair","price":45}\n'
bulk = create_items_v2.sync(client=client, body=File(payload=io.BytesIO(lines)))
listed = list_items_v2.sync(
    client=client,
    pricegte=18.5,
    namein=["Desk lamp", "Desk"],
    sort=[ListItemsV2SortItem("-price"), ListItemsV2SortItem.NAME],
    count=ListItemsV2Count.EXACT,
    limit=10,
    created_atlte=datetime.now(timezone.utc),
)
csv = export_items_v2.sync_detailed(client=client)
changes = list_changes_v2.sync(client=client, after=0)
delete_item_v2.sync_detailed(item.id, client=client)
missing = get_item_v2.sync(item.id, client=client)
contract = create_user.sync(client=client, body=User(id=7, name="Grace"))

print(
    json.dumps(
        {
            "made": made.status_code,
            "stale": stale.type_,
            "price": patched.price,
            "created": bulk.created,
            "names": [row.name for row in listed.data],
            "total": listed.total,
            "csv": csv.content.decode().startswith("id,external_id,name,price,"),
            "prices": [change.record.price for change in changes.data if change.type_ == "item.created"],
            "missing": missing.status,
            "contract": contract.to_dict(),
        }
    )
)
