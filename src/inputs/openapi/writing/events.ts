/**
 * Writes part 6 of an imported document: webhooks and callbacks as events, with their payloads.
 * When they happen is in no description.
 */
import type { Draft } from "./draft.ts";
import { contentOf, type Operation } from "../description/operations.ts";
import { isPlain, member, type Plain, plainOf, pointerSegment } from "../description/values.ts";
import { shapeName, type Writing } from "./context.ts";

/** An event as the description declares it. */
interface Declared {
  readonly name: string;
  readonly pointer: string;
  /** The path item with the request that the service sends. */
  readonly item: Plain;
}

export function writeEvents(draft: Draft, writing: Writing, operations: readonly Operation[]): void {
  draft.add("## Events");
  draft.gap();
  const payloads = new Map<string, string>();
  for (const { name, pointer, item } of [...webhooksOf(writing), ...callbacksOf(writing, operations)]) {
    const known = payloads.get(name);
    if (!/^[A-Za-z_][\w.-]*$/.test(name) || writing.refusals.has(`event ${name}`)) {
      draft.comment(pointer, ["an event whose name the notation can't say"], "events");
      continue;
    }
    const payload = payloadOf(writing, name, item);
    if (known !== undefined && known !== payload)
      draft.comment(pointer, [`an event of the name ${name} with another payload`], "events");
    else payloads.set(name, payload);
  }
  if (payloads.size === 0) draft.add("- Events: not shown");
  for (const item of ["Webhooks", "Notifications"]) draft.add(`- ${item}: not shown`);
  draft.gap();
  if (payloads.size === 0) return;
  draft.count("events", "stated", payloads.size);
  draft.add("| Event | When | Payload |");
  draft.add("|---|---|---|");
  for (const [name, payload] of payloads) draft.add(`| ${name} | not shown | ${payload} |`, `event ${name}`);
  draft.gap();
}

function webhooksOf({ files }: Writing): readonly Declared[] {
  const hooks = {
    ...plainOf(member(files.first, "x-webhooks")),
    ...plainOf(member(files.first, "webhooks")),
  };
  return Object.entries(hooks).map(([name, node]) => ({
    name,
    pointer: `#/webhooks/${pointerSegment(name)}`,
    item: plainOf(files.follow(node)),
  }));
}

function callbacksOf({ files }: Writing, operations: readonly Operation[]): readonly Declared[] {
  return operations.flatMap(({ node, pointer }) =>
    Object.entries(plainOf(node["callbacks"])).flatMap(([name, written]) =>
      Object.entries(plainOf(files.follow(written)))
        .filter(([expression]) => !expression.startsWith("x-"))
        .map(([expression, item]) => ({
          name,
          pointer: `${pointer}/callbacks/${pointerSegment(name)}/${pointerSegment(expression)}`,
          item: plainOf(files.follow(item)),
        })),
    ),
  );
}

function payloadOf(writing: Writing, name: string, item: Plain): string {
  const { files, facts } = writing;
  const operation = plainOf(files.follow(item["post"] ?? Object.values(item).find(isPlain)));
  const content = contentOf(files, files.follow(operation["requestBody"]));
  const schema = member(Object.values(content)[0], "schema");
  const type = schema === undefined ? undefined : facts.schemas.type(schema);
  return type?.kind === "value" ? shapeName(writing, type, { owner: name, key: "Payload" }) : "not shown";
}
