/**
 * A topic of the stream, for a component: folds its frames into a state. A `begin` frame comes
 * first and after missed frames. The component must then fetch its data again, for which
 * `useFrames` is enough.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { space } from "./space.ts";
import { type Frame, listen } from "./stream.ts";

/** Calls `take` with each frame while the component is shown. */
export function useFrames(topic: string, onFrame: (frame: Frame) => void): void {
  const last = useRef(onFrame);
  last.current = onFrame;
  useEffect(() => listen(topic, (frame) => last.current(frame)), [topic]);
}

/** Folds a topic's frames. Another data space starts with `first` again. */
function useTopic<State>(topic: string, fold: (state: State, frame: Frame) => State, first: State): State {
  const of = space.value;
  const [folded, setFolded] = useState({ state: first, of });
  useFrames(topic, (frame) =>
    setFolded((last) => ({ state: fold(last.of === of ? last.state : first, frame), of })),
  );
  return folded.of === of ? folded.state : first;
}

/** The last value of a topic that has values; undefined before the first one. */
export function useLatest<Value>(topic: string): Value | undefined {
  return useTopic<Value | undefined>(
    topic,
    (last, frame) => (frame.kind === "value" ? (frame.value as Value) : last),
    undefined,
  );
}
