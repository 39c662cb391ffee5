/** Command-line arguments: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readArguments } from "./arguments.ts";
import { WrongUsage } from "./command.ts";

const options = { sort: { type: "string" }, csv: { type: "boolean" } } as const;
const positionals = ["FILE"];

const read = (...args: string[]) => {
  const { values, positionals: files } = readArguments(args, { options, positionals });
  return { ...values, files };
};

test("a value may begin with a dash", () => {
  assert.deepEqual(read("a.md", "--sort", "-price", "--csv"), {
    sort: "-price",
    csv: true,
    files: ["a.md"],
  });
  assert.deepEqual(read("--sort=-price", "a.md"), { sort: "-price", files: ["a.md"] });
  assert.deepEqual(read("--sort=--price", "a.md"), { sort: "--price", files: ["a.md"] });
});

test("an argument after -- is not an option", () => {
  assert.deepEqual(read("--sort", "price", "--", "-a.md"), { sort: "price", files: ["-a.md"] });
});

test("an option in place of a value is reported as a missing value", () => {
  const refused = (message: RegExp, ...args: string[]) =>
    assert.throws(
      () => read(...args),
      (error) => error instanceof WrongUsage && message.test(error.message),
    );
  refused(/^--sort needs a value\.$/, "a.md", "--sort", "--csv");
  refused(/^--sort needs a value\.$/, "a.md", "--sort");
  refused(/^--csv takes no value\.$/, "a.md", "--csv=yes");
  refused(/^Unknown option --sotr\. Did you mean --sort\?$/, "a.md", "--sotr", "price");
  refused(/^Unknown option --against\. Write one of --sort, --csv\.$/, "a.md", "--against");
  refused(/^FILE is missing\.$/, "--csv");
});
