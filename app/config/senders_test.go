package config

import (
	"fmt"
	"strings"
	"testing"
)

// What is wrong with a sender is named by its key; what is right passes.
func TestSendersAreChecked(t *testing.T) {
	const gateway = "[sms]\nurl = \"https://sms.example/?to=%to%&text=%text%\"\n"
	for text, want := range map[string]string{
		gateway: "",
		"[sms]\nmodem = \"serial:///dev/ttyUSB2?baud=115200\"":                                       "",
		"[[webhook]]\nname = \"vts\"\nurl = \"https://a.example/x\"\nsecret = \"sixteen bytes are\"": "",
		"[mqtt]\nurl = \"mqtts://b.example\"\nuser = \"u\"\npassword = \"p\"\nuser_name = \"erp\"":   "",
		gateway + "modem = \"serial:///dev/ttyUSB2\"":                                                "sms.modem: cannot stand beside sms.url",
		gateway + "per_hour = 0":                "sms.per_hour: 0 must",
		"[sms]\nurl = \"https://sms.example/\"": "sms.url: %to% or %digits%",
		"[sms]\npassword = \"x\"":               "sms.url: must name the gateway",
		"[sms]\nmodem = \"serial://auto\"":      "sms.modem: ",
		"[sms]\nmodem = \"serial:///dev/ttyS0\"\n[[feed]]\nname = \"a\"\nurl = \"serial:///dev/ttyS0\"": "sms.modem has",
		"[[webhook]]\nname = \"vts\"\nurl = \"http://169.254.169.254/\"":                                `webhook 1 ("vts"): url: 169.254.169.254`,
		"[[webhook]]\nname = \"a\"\nurl = \"http://a\"\n[[webhook]]\nname = \"A\"\nurl = \"http://b\"":  "name: used twice",
		"[[webhook]]\nname = \"a \"\nurl = \"http://a\"":                                                "no space at its ends",
		"[mqtt]\nurl = \"mqtt://b.example\"\nqos = 2":                                                   "mqtt.qos: ",
		"[mqtt]\nuser_name = \"x\"":                                                                     "mqtt.url: must name the broker",
		"[mqtt]\nurll = \"x\"":                                                                          `did you mean "mqtt.url"`,
	} {
		_, err := Origin{File: configFile(t, text)}.Read()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// No secret of a sender is told by the running configuration.
func TestSendersAreMasked(t *testing.T) {
	const secrets = "5ecr3t-"
	text := strings.ReplaceAll(`[sms]
url = "https://sms.example/?to=%to%&text=%text%&apikey=#1"
body = "key=#2"
user = "port"
password = "#3"
[[webhook]]
name = "chat"
url = "https://chat.example/services/#4/#5?x=1"
token = "#6"
secret = "#7 that is long enough"
[mqtt]
url = "mqtt://b.example"
user = "port"
password = "#8"
`, "#", secrets)
	o := Origin{File: configFile(t, text)}
	c, err := o.Read()
	if err != nil {
		t.Fatal(err)
	}
	running, err := o.Running(c)
	if err != nil {
		t.Fatal(err)
	}
	told := fmt.Sprint(running)
	if strings.Contains(told, secrets) {
		t.Error(told)
	}
	for _, shown := range []string{"https://sms.example/", "https://chat.example/***?x=1", "mqtt://b.example"} {
		if !strings.Contains(told, shown) {
			t.Errorf("%s is not told: %s", shown, told)
		}
	}
}
