/**
 * Large document: has a given number of endpoints, with states, lists, pages, and responses that
 * contain one another.
 */
export function largeDocument(endpoints: number): string {
  const resources = Array.from({ length: Math.ceil(endpoints / 5) }, (_, at) => `Thing${at}`);
  const parts: readonly (readonly [string, string])[] = [
    ["What the service does", "- Purpose: keeps things.\n- Domain: things.\n- Behaviour: things are kept.\n"],
    ["Resources and their fields", resources.map(resourceText).join("\n")],
    ["States and transitions", resources.map(statesText).join("\n")],
    [
      "Endpoints",
      `- Base path: \`/v1\`\n- Media type: \`application/json\`\n\n${resources
        .map(endpointsText)
        .join("\n")
        .split(/(?=^### )/m)
        .slice(0, endpoints)
        .join("")}\n### Shape: Page\n\n\`\`\`cel\n{"data": page.items, "next": page.next}\n\`\`\`\n`,
    ],
    ["Authentication", "- Scheme: none\n"],
    ["Events", "- Events: none\n- Webhooks: none\n- Notifications: none\n"],
    [
      "Errors",
      "- Payload shape: problem details\n\n| Code | Status | When | Message |\n|---|---|---|---|\n| bad_value | 422 | invalid field | {error.field} {error.problem}. |\n| wrong_state | 409 | illegal transition | It is too late. |\n",
    ],
    [
      "Limits",
      "- Rate limits: none\n\n| Limit | Bound | Applies to |\n|---|---|---|\n| page | default 20, maximum 100 | every list |\n",
    ],
    ["Versioning", "- Scheme: none\n"],
  ];
  return `# Interface Specification: Large\n\n${parts.map(([title, text]) => `## ${title}\n\n${text}`).join("\n")}`;
}

function resourceText(name: string, at: number): string {
  const before = at === 0 ? "" : `| before | Thing${at - 1} | | The one before |\n`;
  return `### ${name}\n\n- Identifier: id, made by \`uuid()\`\n\n| Field | Type | Rules | Meaning |\n|---|---|---|---|\n| name | string | required, length 1..80 | Its name |\n| count | integer | 0..1000 | How many |\n| tags | list of string | items ..10 | |\n${before}| status | state | | |\n`;
}

function statesText(name: string): string {
  return `### ${name}\n\n- State field: status\n- Initial state: open\n\n| Transition | From | To | Trigger | Guard | Effect |\n|---|---|---|---|---|---|\n| close | open | closed | call | | |\n`;
}

function endpointsText(name: string): string {
  const path = `/${name.toLowerCase()}s`;
  return [
    `### POST ${path}\n\n- Does: create ${name}\n- Body: name, count?, tags?\n- Returns: 201 ${name}\n`,
    `### GET ${path}\n\n- Does: list ${name}\n- Query: status?, name?\n- Pagination: cursor (size: limit, after: after)\n- Returns: 200 Page of ${name}\n`,
    `### GET ${path}/{id}\n\n- Does: read ${name}\n- Returns: 200 ${name}\n`,
    `### PATCH ${path}/{id}\n\n- Does: update ${name}\n- Body: name?, count?, tags?\n- Returns: 200 ${name}\n`,
    `### POST ${path}/{id}/close\n\n- Does: close ${name}\n- Returns: 200 ${name}\n`,
  ].join("\n");
}
