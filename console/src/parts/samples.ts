/**
 * Samples of what an author may write where the document has nothing yet: one for each part that an
 * empty page is about.
 */
export const samples = {
  resource: `### Room

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, length 1..80 |
| status | state | |`,
  states: `### Room

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | closed | call |`,
  endpoint: `### GET /rooms

- Does: list Room
- Returns: 200 list of Room`,
} as const;
