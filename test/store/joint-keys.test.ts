/** Joint keys that are longer than an index entry are unique in all their fields. */
import assert from "node:assert/strict";
import { documentOf, modelOf, resource } from "../changes/desk.ts";
import { onEachStore } from "./each-store.ts";

onEachStore("texts of any length and a decimal are unique together, by their values", async (open) => {
  const names = ["one", "two", "three", "four"];
  const rows = names.map((name) => `${name} | string |`);
  const store = await open(
    modelOf(
      documentOf(
        `${resource("Part", ...rows, "price | decimal |")}`.replace(
          "\n\n| Field",
          `\n- Unique: ${names.join(", ")}, price\n\n| Field`,
        ),
      ),
    ),
  );
  const insert = (id: string, price: string, last = "d") =>
    store.write(async (transaction) =>
      transaction.insert("Part", {
        id,
        one: "a".repeat(900),
        two: "b".repeat(900),
        three: "c",
        four: last,
        price,
      }),
    );
  await insert("1", "1.5");
  await insert("2", "1.51");
  await insert("3", "1.5", "e");
  await assert.rejects(insert("4", "1.50"), /one, two, three, four, price/);
});
