/**
 * Examples from the document: requests and responses of its scenarios, which the tests run, and
 * errors in its own text. Only a complete value becomes an example. `x-ninefold-examples` has the
 * part that a scenario compares.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { fits } from "../wire/schema-match.ts";
import type { ExchangeExample, Operation, Refusal, Wire } from "../wire/wire.ts";

/** Bodies of successful requests. */
export function requestExamples(wire: Wire, { examples, body }: Operation): JsonSchema {
  return Object.fromEntries(
    examples.flatMap((example) => {
      const value = example.request.body;
      const isGood = value !== undefined && example.response.status < 400;
      return isGood && body && fits(body.schema, value, wire.schemas)
        ? [[example.name, named(example, value)]]
        : [];
    }),
  );
}

function named({ scenario }: ExchangeExample, value: JsonSchema[string]): JsonSchema {
  return { summary: scenario, value };
}

export function answerExamples(
  wire: Wire,
  { examples, answers }: Operation,
  status: number,
): { readonly whole: JsonSchema; readonly parts: readonly JsonSchema[] } {
  const schema = answers.find((answer) => answer.status === status)?.content?.schema;
  const bodies = examples.flatMap((example) => {
    const { status: answered, body } = example.response;
    return answered === status && body !== undefined && schema
      ? [{ example, body, isWhole: fits(schema, body, wire.schemas) }]
      : [];
  });
  const whole = bodies.filter((body) => body.isWhole);
  return {
    whole: Object.fromEntries(whole.map(({ example, body }) => [example.name, named(example, body)])),
    parts: bodies
      .filter((body) => !body.isWhole)
      .map(({ example, body }) => ({ scenario: example.scenario, body })),
  };
}

/** One example for each code, under its name. */
export function errorExamples(wire: Wire, { errors }: Refusal): JsonSchema {
  return Object.fromEntries(
    errors.flatMap(({ name, example, schema, conditions }) =>
      example !== undefined && fits(schema, example, wire.schemas)
        ? [[name, { ...(conditions.length === 0 ? {} : { summary: conditions.join(", ") }), value: example }]]
        : [],
    ),
  );
}
