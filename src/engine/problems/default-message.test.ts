/** Default messages: unit tests. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ProblemDetail } from "../problem.ts";
import { defaultMessage } from "./default-message.ts";

const said = (detail: ProblemDetail, resource: string | null = null): string =>
  defaultMessage("Title", detail, { field: detail.field ?? null, resource });

test("a problem without a field has a subject", () => {
  assert.equal(
    said({ condition: "unauthenticated", problem: "needs a credential" }),
    "Title: the request needs a credential.",
  );
  assert.equal(
    said({ condition: "not found", problem: "does not exist" }, "payment_intent"),
    "Title: the payment intent does not exist.",
  );
  assert.equal(
    said({ condition: "sign-in failed", problem: "is wrong" }, "user"),
    "Title: the credential is wrong.",
  );
  assert.equal(
    said({ condition: "forbidden", problem: "comes from a page" }),
    "Title: the request comes from a page.",
  );
  assert.equal(
    said({ condition: "too large", problem: "the body is larger than 1 KiB" }),
    "Title: the body is larger than 1 KiB.",
  );
  assert.equal(
    said({ condition: "invalid field", field: "text", problem: "is required" }),
    "text is required.",
  );
});

test("each text of the engine starts with a subject, or with a verb that completes one", () => {
  const folder = join(import.meta.dirname, "..");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const subject = /^(?:the|there|this|a|it|its|only|too|none|one|another|CONNECT|\$\{|more)\b|^\$/;
  const odd = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return [
      ...text.matchAll(
        /(?:\bproblem:|\bconst problem =|\b(?:malformed|failed)\([\w, ]+,)\s+(?:[^"`,\n]*\? )?["`]([^"`]+)["`]/g,
      ),
    ].flatMap(([, problem = ""]) => {
      const sentence = said({ condition: "invalid field", problem }).slice("Title: ".length);
      return sentence.startsWith("the request ") || subject.test(sentence) ? [] : [`${file}: ${problem}`];
    });
  });
  assert.deepEqual(odd, []);
});
