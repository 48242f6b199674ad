"""Several machines at once, and what befalls them: crowds, brokers, clocks, databases, disks."""
