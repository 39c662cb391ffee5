/** Sample requests as code: unit tests. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fc, times } from "../../../test/fixed-seed.ts";
import { curlText, type RequestText, typescriptText } from "./request-code.ts";

const request: RequestText = {
  method: "POST",
  target: "/v1/parcels/{{parcel}}x?of={{shop: string}}",
  headers: [{ name: "Authorization", value: "Bearer {{key}}" }],
  body: '{"to": "it\'s", "from": "{{shop}}", "lines": [1, {"deep": "a very long text that does not fit into one line of seventy-two"}]}',
};

test("a request for the shell has its captures as variables, described above", () => {
  assert.equal(
    curlText(request, (name) => `about ${name}`),
    `# parcel: about parcel
# shop: about shop
# key: about key
curl -X POST "$API/v1/parcels/\${parcel}x?of=$shop" \\
  -H "Authorization: Bearer $key" \\
  -H "Content-Type: application/json" \\
  -d '{
  "to": "it'\\''s",
  "from": "'"$shop"'",
  "lines": [
    1,
    {
      "deep": "a very long text that does not fit into one line of seventy-two"
    }
  ]
}'`,
  );
});

test("a request for a program has its captures as variables too", () => {
  assert.equal(
    typescriptText(request, (name) => `about ${name}`),
    `// parcel: about parcel
// shop: about shop
// key: about key
const answer = await fetch(\`\${API}/v1/parcels/\${parcel}x?of=\${shop}\`, {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${key}\`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify({
    to: "it's",
    from: shop,
    lines: [
      1,
      {
        deep: "a very long text that does not fit into one line of seventy-two",
      },
    ],
  }),
});
if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`);`,
  );
});

const hostile = fc.string({
  unit: fc.constantFrom("'", '"', "`", "$", "{", "}", "\\", "a", " ", "$(id)", `$\{b}`, "!", "*", ";", "é"),
});

test("whatever a document sends, the shell sends that and runs nothing", () => {
  fc.assert(
    fc.property(hostile, hostile, (text, header) => {
      const code = curlText(
        {
          method: "POST",
          target: "/x",
          headers: [{ name: "X", value: header }],
          body: JSON.stringify({ text }),
        },
        () => "",
      );
      const script = `API=a; curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${code}`;
      const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
      const sent = stdout.split("\0");
      assert.equal(sent[4], `X: ${header}`);
      assert.deepEqual(JSON.parse(sent[8] as string), { text });
    }),
    { numRuns: times(60) },
  );
});

test("whatever a document sends, a program sends that and runs nothing", () => {
  fc.assert(
    fc.property(hostile, hostile, (text, header) => {
      const code = typescriptText(
        {
          method: "POST",
          target: "/x",
          headers: [{ name: "X", value: header }],
          body: JSON.stringify({ text }),
        },
        () => "",
      );
      const options = /fetch\(`\$\{API\}\/x`, (\{[\s\S]*\})\);\nif/.exec(code)?.[1];
      const read = new Function(`return (${options})`)() as { headers: { X: string }; body: string };
      assert.equal(read.headers.X, header);
      assert.deepEqual(JSON.parse(read.body), { text });
    }),
  );
});
