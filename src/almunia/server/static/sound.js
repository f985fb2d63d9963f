// The sounds of the site, made as they are heard: nothing is loaded.

let context = null;

// Browsers let a page be heard only once somebody has touched it.
function wake() {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
}

for (const touch of ["pointerdown", "keydown"]) document.addEventListener(touch, wake, { capture: true, once: true });

// One tone that fades: `pitch` in hertz, `length` in seconds, and the pitch it falls to.
function tone(shape, pitch, loudness, length, end = pitch) {
  const now = context.currentTime;
  const source = new OscillatorNode(context, { type: shape, frequency: pitch });
  const volume = new GainNode(context, { gain: 0 });
  source.frequency.exponentialRampToValueAtTime(end, now + length);
  volume.gain.linearRampToValueAtTime(loudness, now + 0.004);
  volume.gain.exponentialRampToValueAtTime(0.0001, now + length);
  source.connect(volume).connect(context.destination);
  source.start(now);
  source.stop(now + length);
}

const SOUNDS = {
  bell() {
    tone("sine", 880, 0.14, 1.4);
    tone("sine", 2217, 0.05, 0.8);
    tone("sine", 3520, 0.02, 0.4);
  },
  wood() {
    tone("triangle", 620, 0.35, 0.12, 240);
    tone("square", 1400, 0.05, 0.03, 700);
  },
};

// Let a sound be heard, by its name; nothing is heard where there is none, or nobody has touched the page yet.
export function sound(name) {
  if (context && SOUNDS[name]) SOUNDS[name]();
}
