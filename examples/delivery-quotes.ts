/** The handlers of `delivery-quotes.md`: what its expressions can't say. Typed from the document by `ninefold types`. */
import type { Functions, Handlers, Input, Quote, Transaction } from "./delivery-quotes.types.ts";

/** The price of a delivery: the tariff's base, and an amount for each started kilogram. */
async function quoteFor(
  { to, weight_grams }: Input["quote"]["body"],
  transaction: Transaction,
): Promise<Quote | null> {
  const tariff = await transaction.get("Tariff", to.zone);
  if (!tariff) return null;
  const kilograms = Math.ceil(weight_grams / 1000);
  const lines = [
    { label: "base", amount: tariff.base },
    { label: `${kilograms} kg`, amount: kilograms * tariff.per_kilogram },
  ];
  return { zone: to.zone, lines, total: lines.reduce((sum, line) => sum + line.amount, 0) };
}

export const handlers: Handlers = {
  async quote({ input, transaction, refuse }) {
    return (await quoteFor(input.body, transaction)) ?? refuse("no_tariff", "to.zone");
  },

  async book({ input, transaction, refuse }) {
    const quote = (await quoteFor(input.body, transaction)) ?? refuse("no_tariff", "to.zone");
    const vans = await transaction.list("Van");
    const [van] = vans.toSorted((a, b) => b.places - a.places);
    if (!van || van.places === 0) return refuse("van_full");
    await transaction.update("Van", van, { places: van.places - 1 });
    return transaction.create("Booking", { van, to: input.body.to, total: quote.total });
  },

  async swap({ records: { booking }, transaction, refuse }) {
    const vans = await transaction.list("Van");
    const from = vans.find((van) => van.id === booking.van);
    const freeVan = vans.find((van) => van.id !== booking.van && van.places > 0);
    if (!from || !freeVan) return refuse("van_full");
    await transaction.update("Van", from, { places: from.places + 1 });
    await transaction.update("Van", freeVan, { places: freeVan.places - 1 });
    await transaction.update("Booking", booking, { van: freeVan });
    await transaction.do("Booking", booking, "move");
    return transaction.list("Van");
  },
};

export const functions: Functions = {
  label: (place) => `${place.zone}/${place.city}`.toUpperCase(),
};
