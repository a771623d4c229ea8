// Runs before the first paint, so that a bridge at night never sees a white page: the palette is the one kept by
// this browser, else the one that the page over HTTP hands over to that over HTTPS, else dusk or day by the system's own setting.
(function () {
  let name;
  try {
    name = localStorage.getItem("quaywatch.palette");
  } catch {
    /* storage may be refused */
  }
  name = name || (/[#&]light=(\w+)$/.exec(location.hash) || [])[1];
  if (name !== "day" && name !== "dusk" && name !== "night") {
    name = matchMedia("(prefers-color-scheme: dark)").matches ? "dusk" : "day";
  }
  document.documentElement.dataset.palette = name;
  document.documentElement.style.backgroundColor = { day: "#e9eef1", dusk: "#0d161c", night: "#030405" }[name];
})();
