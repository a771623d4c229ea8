// Runs before the first paint, so that a bridge at night never sees a white page: the palette is that of the address, else
// the one kept by this browser, else night or day by the system's own setting.
(function () {
  var found = /[#&]p=(day|dusk|night)(&|$)/.exec(location.hash);
  var name = found && found[1];
  try {
    name = name || localStorage.getItem("quaywatch.palette");
  } catch (e) {
    /* storage may be refused */
  }
  if (name !== "day" && name !== "dusk" && name !== "night") {
    name = matchMedia("(prefers-color-scheme: dark)").matches ? "dusk" : "day";
  }
  document.documentElement.dataset.palette = name;
  document.documentElement.style.backgroundColor = { day: "#e9eef1", dusk: "#0d161c", night: "#030405" }[name];
})();
