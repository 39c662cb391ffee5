/**
 * *Try it*: sends the requests of the site's examples to a sandbox. The content security policy of
 * each page allows no other address. Each reader has a data space of their own. Values, including
 * the credential, are kept until the tab is closed.
 */
(() => {
  const { sandbox, spaceHeader } = document.currentScript.dataset;
  const shownMax = 200_000;

  const memory = new Map();
  const kept = {
    read(name) {
      try {
        return sessionStorage.getItem(`ninefold-docs-${name}`);
      } catch {
        return memory.get(name) ?? null;
      }
    },
    write(name, value) {
      memory.set(name, value);
      try {
        sessionStorage.setItem(`ninefold-docs-${name}`, value);
      } catch {}
    },
  };
  const randomText = () => Math.random().toString(36).slice(2, 12);
  const values = new Map(JSON.parse(kept.read("values") ?? "[]"));

  function keepValue(name, value) {
    values.set(name, value);
    kept.write("values", JSON.stringify([...values]));
    for (const input of document.querySelectorAll("[data-value]"))
      if (input.dataset.value === name && input.value !== value) input.value = value;
  }

  function dataSpace() {
    if (kept.read("space") === null) kept.write("space", `docs-${randomText()}`);
    return kept.read("space");
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll(".try-form")) prepare(form);
  });

  function prepare(form) {
    const part = (name) => form.querySelector(`[data-part="${name}"]`);
    const action = (name) => form.querySelector(`[data-action="${name}"]`);
    for (const input of form.querySelectorAll("[data-value]")) {
      input.value = values.get(input.dataset.value) ?? "";
      input.addEventListener("change", () => keepValue(input.dataset.value, input.value));
    }
    let controller;
    action("stop").addEventListener("click", () => controller?.abort());
    action("send").addEventListener("click", async () => {
      controller = new AbortController();
      action("send").disabled = true;
      action("stop").hidden = false;
      try {
        await send(form, part, controller.signal);
      } finally {
        action("send").disabled = false;
        action("stop").hidden = true;
      }
    });
  }

  /** Fills in the values of a text. */
  function filled(text, form, written) {
    return text.replace(/\{\{\s*([^{}:]+?)\s*(?::[^{}]*)?\}\}/g, (whole, name) => {
      const input = [...form.querySelectorAll("[data-value]")].find((field) => field.dataset.value === name);
      if (!input) return whole;
      if (name === "run" && input.value === "") keepValue(name, randomText());
      return written(input.value);
    });
  }

  async function send(form, part, signal) {
    const status = form.querySelector(".try-status");
    const block = form.querySelector(".code");
    const missing = [...form.querySelectorAll("[data-value]")].find(
      (input) => input.value === "" && input.dataset.value !== "run",
    );
    block.hidden = true;
    if (missing) {
      status.textContent = `Fill in ${missing.dataset.value} first.`;
      missing.focus();
      return;
    }
    const target = part("target").value;
    // A capture at the start is a complete address.
    const address = filled(target, form, target.startsWith("{{") ? String : encodeURIComponent);
    const headers = new Headers({ [spaceHeader]: dataSpace() });
    try {
      for (const line of part("headers").value.split("\n")) {
        const at = line.indexOf(":");
        if (at > 0) headers.append(line.slice(0, at).trim(), filled(line.slice(at + 1).trim(), form, String));
      }
    } catch {
      status.textContent = "A header isn't valid: write one a line, as Name: value.";
      return;
    }
    const text = part("body")?.value ?? "";
    const body = filled(text, form, (value) => JSON.stringify(value).slice(1, -1));
    const begin = performance.now();
    status.textContent = "Sending …";
    let response;
    try {
      response = await fetch(address.startsWith("/") ? sandbox + address : address, {
        method: form.dataset.method,
        headers,
        signal,
        ...(body === "" ? {} : { body }),
      });
    } catch {
      status.textContent = signal.aborted
        ? "Stopped."
        : `${sandbox} didn't answer this page. It must run with --sandbox, and allow this site: --allow-origin ${location.origin}`;
      return;
    }
    const head = [
      `HTTP/1.1 ${response.status}`,
      ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    ].join("\n");
    const show = (received) => {
      block.hidden = false;
      block.querySelector("code").textContent = `${head}\n\n${received.slice(0, shownMax)}`;
    };
    const milliseconds = Math.round(performance.now() - begin);
    status.textContent = `${response.status}, receiving …`;
    const received = await receive(response, show, signal);
    const json = readJson(received);
    show(json === undefined ? received : JSON.stringify(json, null, 2));
    if (response.ok && json !== undefined) capture(form, json);
    status.textContent = `${response.status} in ${milliseconds} ms, in the data space ${dataSpace()} that only this tab uses.`;
  }

  /** Shows a stream as it arrives. */
  async function receive(response, show, signal) {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    try {
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader.read()) {
        received += piece.value;
        show(received);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return received;
  }

  function readJson(text) {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  function capture(form, json) {
    for (const { name, path } of JSON.parse(form.dataset.captures)) {
      const value = path.reduce((inner, key) => inner?.[key], json);
      if (["string", "number", "boolean"].includes(typeof value)) keepValue(name, String(value));
    }
  }
})();
