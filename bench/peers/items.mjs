/** The thousand records that every peer starts with. */
export const items = Array.from({ length: 1000 }, (_, n) => ({
  id: n + 1,
  name: `Item number ${n + 1}`,
  price: n + 1.5,
}));
export const users = [];
export const port = Number(process.env.PORT);
