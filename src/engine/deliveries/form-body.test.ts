/** Form payloads: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formFields, formText } from "./form-body.ts";

test("a payload is sent as a form with the names that requests use, in order and without nulls", () => {
  const fields = formFields({
    id: 7,
    isPaid: false,
    note: null,
    address: { city: "Ulm", zip: null },
    lines: [{ sku: "a" }, { sku: "b&c" }],
    empty: [],
  });
  assert.deepEqual(Object.entries(fields), [
    ["id", "7"],
    ["isPaid", "false"],
    ["address[city]", "Ulm"],
    ["lines[0][sku]", "a"],
    ["lines[1][sku]", "b&c"],
  ]);
  assert.equal(formText({ "lines[0][sku]": "b&c", note: "a b" }), "lines%5B0%5D%5Bsku%5D=b%26c&note=a+b");
});

test("a payload that is not an object has no fields, and the fields have no inherited names", () => {
  for (const payload of [null, 7, "text", [{ a: 1 }]]) assert.deepEqual(Object.keys(formFields(payload)), []);
  assert.equal(formFields({})["toString"], undefined);
});
