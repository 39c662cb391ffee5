/** Effects and conditions of the document in words, with its expressions as it writes them. */
import type { Expression } from "../../expressions/node.ts";
import type { Effect } from "../../model/model.ts";
import { inlineCode } from "./highlight.ts";
import { type Html, html, joinHtml } from "./html.ts";
import { anchorOf } from "./links.ts";
import { linkTo, type Site } from "./site.ts";

export function expressionCode(expression: Expression): Html {
  return inlineCode(expression.text.replace(/\s+/g, " ").trim(), "cel");
}

export function whenWords(when: Expression | undefined): Html | undefined {
  return when && html` when ${expressionCode(when)}`;
}

export function effectList(site: Site, effects: readonly Effect[]): Html {
  return html`<ul class="plain">${effects.map((effect) => html`<li>${effectWords(site, effect)}${whenWords(effect.when)}</li>`)}</ul>`;
}

function effectWords(site: Site, effect: Effect): Html {
  switch (effect.kind) {
    case "assign": {
      const target = effect.of ? `${effect.of.text}.${effect.field}` : effect.field;
      return html`${inlineCode(target)} becomes ${expressionCode(effect.value)}`;
    }
    case "create":
      return html`${effect.upsert ? "creates or updates" : "creates"} ${resourceLink(site, effect.resource)}${setWords(effect.fields)}${effect.for && html` for each of ${expressionCode(effect.for.list)}`}`;
    case "update":
      return html`updates each ${resourceLink(site, effect.resource)} for which ${expressionCode(effect.where)} is true: ${settings(effect.set)}`;
    case "delete":
      return html`deletes each ${resourceLink(site, effect.resource)} for which ${expressionCode(effect.where)} is true`;
    case "do":
      return html`performs ${linkTo(site, anchorOf.transition(effect.resource, effect.transition), inlineCode(effect.transition))} of each ${resourceLink(site, effect.resource)} for which ${expressionCode(effect.where)} is true${effect.first && html`, at most ${expressionCode(effect.first)}`}`;
    case "send":
      return html`sends ${linkTo(site, anchorOf.event(effect.event), inlineCode(effect.event))}`;
  }
}

function setWords(
  fields: readonly { readonly field: string; readonly value: Expression }[],
): Html | undefined {
  return fields.length === 0 ? undefined : html` with ${settings(fields)}`;
}

function settings(fields: readonly { readonly field: string; readonly value: Expression }[]): Html {
  return joinHtml(
    fields.map(({ field, value }) => html`${inlineCode(field)} = ${expressionCode(value)}`),
    ", ",
  );
}

export function resourceLink(site: Site, resource: string): Html {
  return linkTo(site, resource, resource);
}
