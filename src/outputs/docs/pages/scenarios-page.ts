/**
 * The scenarios of part 1 as conversations: existing records, requests, responses, and what happens
 * by itself.
 */
import type { Scenario, ScenarioStep } from "../../../model/model.ts";
import { formatDuration } from "../../../support/quantity.ts";
import { expressionCode } from "../effect-words.ts";
import { languages, settingsNote, variableWords } from "../examples.ts";
import { codeBlock, inlineCode } from "../highlight.ts";
import { type Html, html, joinHtml } from "../html.ts";
import { anchorOf } from "../links.ts";
import { capital } from "../prose.ts";
import { shownAnswer } from "../scenario-text.ts";
import { linkTo, type Page, selfLink, type Site } from "../site.ts";
import { negotiatedRequest } from "../negotiated-request.ts";

export function scenariosPage(site: Site): Page {
  const { scenarios, name } = site.model;
  return {
    path: "scenarios.html",
    title: "Scenarios",
    description: `The scenarios of ${name}`,
    body: html`<h1>Scenarios</h1>
<p class="lead">Sequences of requests, which also run as the tests of the service.</p>
${scenarios.length === 0 ? html`<p>The document has no scenario.</p>` : settingsNote(site, { hasCredential: false })}
${scenarios.length > 3 && html`<ul>${scenarios.map((scenario) => html`<li><a href="#${encodeURIComponent(anchorOf.scenario(scenario.name))}">${capital(scenario.name)}</a></li>`)}</ul>`}
${scenarios.map((scenario) => scenarioSection(site, scenario))}`,
    found: scenarios.map((scenario) => ({
      u: `scenarios.html#${encodeURIComponent(anchorOf.scenario(scenario.name))}`,
      t: scenario.name,
      k: "scenario",
      w: "",
      x: "",
    })),
  };
}

function scenarioSection(site: Site, scenario: Scenario): Html {
  const anchor = anchorOf.scenario(scenario.name);
  return html`<section id="${anchor}"><h2>${selfLink(anchor, capital(scenario.name))}</h2>
${scenario.steps.map((step) => stepOf(site, scenario, step))}</section>`;
}

function stepOf(site: Site, scenario: Scenario, step: ScenarioStep): Html {
  switch (step.kind) {
    case "given":
      return html`<p>There is a ${linkTo(site, step.resource, step.resource)}${step.as !== undefined && html`, ${inlineCode(step.as)}`}${
        step.fields.length > 0 &&
        html`, with ${joinHtml(
          step.fields.map(({ field, value }) => html`${inlineCode(field)} = ${expressionCode(value)}`),
          ", ",
        )}`
      }.</p>`;
    case "wait":
      return html`<p><span class="chip info">${formatDuration(step.milliseconds)} later</span></p>`;
    case "event":
      return html`<p>The event ${linkTo(site, anchorOf.event(step.event), inlineCode(step.event))} has happened${step.payload ? ":" : "."}</p>${step.payload && codeBlock(shownAnswer(step.payload.text), "json", `The event ${step.event}`)}`;
    case "exchange": {
      const { response } = step;
      const lines = [
        `HTTP/1.1 ${response.status}`,
        ...response.headers.map((header) => `${header.name}: ${shownAnswer(header.value)}`),
        ...(response.body === undefined ? [] : ["", shownAnswer(response.body.text.trim())]),
      ];
      const operation = site.wire.operations.find((candidate) =>
        candidate.examples.some(
          (example) =>
            example.scenario === scenario.name &&
            example.position.start.offset === step.position.start.offset,
        ),
      );
      return html`<div class="pair"><div class="description"><p>${operation && linkTo(site, anchorOf.operation(operation), site.links.titleOf(operation))}</p>${languages(negotiatedRequest(site.model, step), variableWords(site.model, scenario.name))}</div>
<div class="shown"><p class="caption">Response</p>${codeBlock(lines.join("\n"), "http", "The response")}</div></div>`;
    }
  }
}
