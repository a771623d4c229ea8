import { render } from "preact";
import "ol/ol.css";
import "./style.css";
import "./ui/places.css";
import "./distress/style.css";
import "./messages/style.css";
import { App } from "./app";
import { Page } from "./shell/page";

const app = new App();
void app.settings.spoken.then(() => render(<Page app={app} />, document.getElementById("app")!));

// For support and for the browser tests: look at the state from the console, nothing of the page uses it.
Object.assign(globalThis, { quaywatch: app });
