/**
 * Writes part 5 of an imported document: each scheme with its placement. Credentials are in no
 * description.
 */
import type { Draft } from "./draft.ts";
import type { Files } from "../description/files.ts";
import { isSwagger2 } from "../description/swagger.ts";
import { member, plainOf, pointerSegment, textOf } from "../description/values.ts";
import type { Writing } from "./context.ts";

/** Security schemes by their names in the description. Equal names get a number. */
export function schemesOf({ first }: Files): ReadonlyMap<string, string> {
  const used = new Set<string>();
  const found = Object.keys(plainOf(member(member(first, "components"), "securitySchemes")));
  return new Map(
    found.map((name) => {
      const base = name.replace(/[^A-Za-z0-9]+/g, " ").trim() || "scheme";
      let text = base;
      for (let n = 2; used.has(text.toLowerCase()); n++) text = `${base} ${n}`;
      used.add(text.toLowerCase());
      return [name, text];
    }),
  );
}

export function writeAuthentication(draft: Draft, { files, schemes, refusals }: Writing): void {
  draft.add("## Authentication");
  draft.gap();
  const declared = plainOf(member(member(files.first, "components"), "securitySchemes"));
  const written = [...schemes].filter(([name]) => !refusals.has(`scheme ${name}`));
  if (written.length === 0) {
    // A file without schemes may state that no operation has any: `"security": []`.
    const isNone = schemes.size === 0 && isEmptyList(member(files.first, "security"));
    draft.add(`- Scheme: ${isNone ? "none" : "not shown"}`);
    draft.gap();
  }
  for (const [name, title] of written) {
    const scheme = plainOf(files.follow(declared[name]));
    const placement = placementOf(scheme);
    draft.count("schemes", placement === undefined ? "open" : "stated");
    draft.add(`### Scheme: ${title}`, `scheme ${name}`);
    draft.gap();
    const pointer = `${isSwagger2(files) ? "#/securityDefinitions" : "#/components/securitySchemes"}/${pointerSegment(name)}`;
    const scopes = Object.values(plainOf(scheme["flows"])).flatMap((flow) =>
      Object.keys(plainOf(member(flow, "scopes"))),
    );
    draft.comment(
      pointer,
      [
        ...(placement === undefined ? [`type ${textOf(scheme["type"]) ?? "unknown"}`] : []),
        ...[...new Set(scopes)].map((scope) => `scope ${scope}`),
      ],
      "scopes",
    );
    draft.add(`- Placement: ${placement ?? "not shown"}`, `scheme ${name}`);
    draft.add("- Credentials: not shown", `scheme ${name}`);
    draft.gap();
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function placementOf(scheme: ReturnType<typeof plainOf>): string | undefined {
  const [type, kind, location, name] = [scheme["type"], scheme["scheme"], scheme["in"], scheme["name"]].map(
    textOf,
  );
  if (type === "http" && /^bearer$/i.test(kind ?? "")) return "header Authorization, after Bearer";
  if (type === "http" && /^basic$/i.test(kind ?? "")) return "basic user and password";
  const isLocation = type === "apiKey" && /^(header|query|cookie)$/.test(location ?? "");
  return isLocation && /^[\w-]+$/.test(name ?? "") ? `${location} ${name}` : undefined;
}
