/**
 * Plants each bug into the hand-written parcel desk, and prints which of them `verify` finds.
 * Without a bug, `verify` must find nothing.
 *
 *   node test/verify/bugs.ts [--requests N] [--seed N] [--only TEXT]
 */
import { parseArgs } from "node:util";
import { verifyDesk } from "./desk.ts";
import { bugs } from "./parcel-desk.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1200" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
  },
});
const options = { requests: Number(values.requests), seed: Number(values.seed) };
const right = await verifyDesk({ ...options, faultsMax: 10 });
for (const { endpoint, caseName, differences, steps } of right.faults) {
  console.log(`reported without a bug: ${endpoint.method} ${endpoint.path.text}, ${caseName}`, differences);
  console.log(
    steps.map(({ step, request, expected, observed }) => [
      step.caller,
      request.method,
      request.target,
      request.body,
      expected.status,
      observed?.status,
    ]),
  );
}
const wanted = bugs.filter((bug) => bug.includes(values.only));
let found = 0;
for (const bug of wanted) {
  const { faults } = await verifyDesk({ ...options, bug, faultsMax: right.faults.length + 1 });
  const [fault] = faults;
  if (fault) found += 1;
  console.log(
    `${fault ? "✓" : "✗"} ${bug}${fault ? `: ${fault.endpoint.method} ${fault.endpoint.path.text}, ${fault.caseName}` : ""}`,
  );
}
console.log(`${found} of ${wanted.length} found, ${right.faults.length} reported without a bug`);
