/** Fastify that moves money: five statements in one transaction, in a file by node:sqlite, or in PostgreSQL. */
import Fastify from 'fastify';

const { DATABASE, DATABASE_URL, PORT } = process.env;
const transfer = DATABASE_URL === undefined ? await inFile(DATABASE) : await inPostgres(DATABASE_URL);

const body = {
  type: 'object',
  properties: { from: { type: 'integer' }, to: { type: 'integer' }, amount: { type: 'integer', minimum: 1 } },
  required: ['from', 'to', 'amount'],
};
const moved = { type: 'object', properties: { move: { type: 'integer' }, entry: { type: 'integer' } } };
const app = Fastify();
app.post(
  '/moves',
  { schema: { body, response: { 200: moved } } },
  async ({ body: { from, to, amount } }, reply) =>
    (await transfer(from, to, amount)) ?? reply.code(409).send({ detail: 'The balance is too low' }),
);
app.listen({ port: Number(PORT), host: '127.0.0.1' });

async function inFile(path) {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000');
  const [begin, commit, rollback] = ['begin immediate', 'commit', 'rollback'].map((text) => db.prepare(text));
  const enough = db.prepare('select 1 from accounts where id = ? and balance >= ?');
  const add = db.prepare('update accounts set balance = balance + ?, version = version + 1 where id = ?');
  const move = db.prepare('insert into moves (source, target, amount) values (?, ?, ?) returning id');
  const entry = db.prepare("insert into entries (move, text) values (?, 'moved') returning id");
  return async (from, to, amount) => {
    begin.run();
    try {
      if (enough.get(from, amount) === undefined) {
        rollback.run();
        return undefined;
      }
      add.run(-amount, from);
      add.run(amount, to);
      const { id } = move.get(from, to, amount);
      const made = { move: id, entry: entry.get(id).id };
      commit.run();
      return made;
    } catch (error) {
      rollback.run();
      throw error;
    }
  };
}

async function inPostgres(url) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  // A name makes it a prepared statement.
  const statement = (name, text) => (client, values) => client.query({ name, text, values });
  const enough = statement('enough', 'select 1 from accounts where id = $1 and balance >= $2 for update');
  const add = statement('add', 'update accounts set balance = balance + $1, version = version + 1 where id = $2');
  const move = statement('move', 'insert into moves (source, target, amount) values ($1, $2, $3) returning id');
  const entry = statement('entry', "insert into entries (move, text) values ($1, 'moved') returning id");
  return async (from, to, amount) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      // In the order of their ids, so that two of them cannot wait for each other.
      await client.query({
        name: 'lock',
        text: 'select id from accounts where id in ($1, $2) order by id for update',
        values: [from, to],
      });
      if ((await enough(client, [from, amount])).rows.length === 0) {
        await client.query('rollback');
        return undefined;
      }
      await add(client, [-amount, from]);
      await add(client, [amount, to]);
      const [{ id }] = (await move(client, [from, to, amount])).rows;
      const made = { move: Number(id), entry: Number((await entry(client, [id])).rows[0].id) };
      await client.query('commit');
      return made;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  };
}
