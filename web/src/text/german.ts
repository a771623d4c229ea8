// The German of what the client loads at its start. A part that is loaded when it is opened brings its own.
import alerts from "../alerts/de.json";
import distress from "../distress/de.json";
import messages from "../messages/de.json";
import watchdogs from "../watchdogs/de.json";
import rules from "./rules.de.json";
import own from "./de.json";

const words: Record<string, string> = { ...own, ...alerts, ...distress, ...messages, ...watchdogs };
export { rules, words };
