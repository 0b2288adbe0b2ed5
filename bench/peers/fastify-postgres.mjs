import fastifyPostgres from '@fastify/postgres';
import Fastify from 'fastify';

const item = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, price: { type: 'number' } },
  required: ['id', 'name', 'price'],
};
const app = Fastify();
app.register(fastifyPostgres, { connectionString: process.env.DATABASE_URL });

app.get(
  '/api/items/:item_id',
  { schema: { params: { type: 'object', properties: { item_id: { type: 'integer' } } }, response: { 200: item } } },
  async (request, reply) => {
    const { rows } = await app.pg.query('select id, name, price from items where id = $1 order by seq limit 1', [
      request.params.item_id,
    ]);
    return rows[0] ?? reply.code(404).send({ detail: 'Not found' });
  },
);

const record = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    external_id: { type: 'integer' },
    name: { type: 'string' },
    price: { type: 'number' },
    version: { type: 'integer' },
    created_at: { type: 'string' },
    updated_at: { type: 'string' },
  },
};
const page = {
  type: 'object',
  properties: { data: { type: 'array', items: record }, next_cursor: { type: ['string', 'null'] } },
};
const query = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 1000, default: 30 } },
};

app.get('/api/v2/items', { schema: { querystring: query, response: { 200: page } } }, async (request) => {
  const { limit } = request.query;
  // A name makes it a prepared statement.
  const { rows } = await app.pg.query({
    name: 'page',
    text: 'select seq as id, id as external_id, name, price, version, created_at, updated_at from items order by seq limit $1',
    values: [limit + 1],
  });
  const data = rows.length > limit ? rows.slice(0, limit) : rows;
  return { data, next_cursor: rows.length > limit ? String(data[data.length - 1].id) : null };
});

app.post('/api/items', { schema: { body: item, response: { 201: item } } }, async (request, reply) => {
  const { id, name, price } = request.body;
  await app.pg.query(
    'insert into items (id, name, price, version, created_at, updated_at) values ($1, $2, $3, 1, now(), now())',
    [id, name, price],
  );
  reply.code(201);
  return request.body;
});

app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
