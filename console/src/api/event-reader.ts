/** Parser of server-sent events, as in `EventSource`, which can't send the token. */

export interface StreamEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly text: string;
}

/** Parses the stream's text piece by piece. */
export function createEventReader(onEvent: (event: StreamEvent) => void): (piece: string) => void {
  let rest = "";
  let name = "";
  let id: string | undefined;
  let lines: string[] = [];
  const takeLine = (line: string) => {
    if (line === "") {
      if (lines.length > 0) onEvent({ name, id, text: lines.join("\n") });
      name = "";
      id = undefined;
      lines = [];
      return;
    }
    const [field, value] = /^([^:]+):? ?(.*)$/.exec(line)?.slice(1) ?? [];
    if (field === "event") name = value ?? "";
    else if (field === "id") id = value;
    else if (field === "data") lines.push(value ?? "");
  };
  return (piece) => {
    const all = (rest + piece).split(/\r?\n/);
    rest = all.pop() as string;
    for (const line of all) takeLine(line);
  };
}
