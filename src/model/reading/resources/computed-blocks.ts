/**
 * `### Parcel.price` with a `cel` block: a computed field whose expression is too long for a cell.
 */
import { types } from "../../../expressions/type.ts";
import { positionIn, trim } from "../../../source/phrase.ts";
import type { FenceNode, Section } from "../../../syntax/nodes.ts";
import { isNotShown } from "../../../syntax/read.ts";
import type { Gap } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import type { RuleSyntax } from "./field-rules.ts";
import { nearestHint } from "../nearest-hint.ts";
import type { ResourceSections } from "./resource-sections.ts";
import { fittingRules } from "./rules-fit.ts";
import type { FieldDraft } from "./field-draft.ts";

interface Drafted {
  readonly name: { readonly text: string };
  readonly fields: Map<string, FieldDraft>;
}

/** Adds the rule `=` to the fields of the blocks. The table states their types. */
export function addComputedBlocks(
  blocks: ResourceSections["computed"],
  drafts: readonly Drafted[],
  context: BuildContext,
): void {
  const byName = new Map(drafts.map((draft) => [draft.name.text, draft]));
  for (const { resource, field, section } of blocks) {
    const draft = byName.get(resource.text);
    if (!draft) {
      const params = { name: resource.text, ...nearestHint(resource.text, byName.keys()) };
      context.reporter.report("resources/unknown-resource", positionIn(resource), params);
      continue;
    }
    const listed = draft.fields.get(field.text);
    if (!listed) {
      const params = {
        resource: resource.text,
        name: field.text,
        ...nearestHint(field.text, draft.fields.keys()),
      };
      context.reporter.report("resources/unknown-field", positionIn(field), params);
      continue;
    }
    const rule = computedRule(section, `${resource.text}.${field.text}`, context);
    if (!rule) continue;
    if ("gap" in rule) draft.fields.set(field.text, { ...listed, gap: rule.gap, open: { read: rule.gap } });
    else
      draft.fields.set(field.text, {
        ...listed,
        rules: fittingRules([...listed.rules, rule], listed.type, "field", context.reporter),
      });
  }
}

function computedRule(
  section: Section,
  subject: string,
  context: BuildContext,
): RuleSyntax | { readonly gap: Gap } | undefined {
  const [fence, second] = section.body.filter(
    (block): block is FenceNode => block.kind === "fence" && block.language === "cel",
  );
  if (second)
    context.reporter.report(
      "resources/second-block",
      second.position,
      { subject },
      fence && [{ position: fence.position, message: "First defined here." }],
    );
  const expression = fence && trim(fence.content);
  if (!expression || expression.text === "" || isNotShown(expression)) {
    const position = expression?.text ? positionIn(expression) : positionIn(section.heading);
    return { gap: context.ledger.gap("resources", "fields", `how ${subject} is computed`, position) };
  }
  const value = {
    text: expression.text,
    position: positionIn(expression),
    node: { op: "literal", value: null, type: types.any },
  } as const;
  return { phrase: section.heading, rule: { rule: "computed", value }, expression };
}
